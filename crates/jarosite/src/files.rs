//! Reading files that somebody else has chosen, and writing files as a whole.
//!
//! What is read must be a regular file of a bounded size: a device has no end, and a pipe may never
//! say anything. What is written is there completely or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// No honest source, class or configuration is larger.
const LARGEST: u64 = 64 << 20;

/// The content of a regular file of at most 64 MB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if read as u64 > LARGEST {
        return Err(io::Error::other("it is larger than 64 MB"));
    }
    Ok(bytes)
}

/// The same as text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read(path)?).map_err(not_text)
}

/// A regular file; asked about first, because opening a pipe may wait for ever.
pub fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path)? {
        about if about.is_file() => File::open(path),
        about if about.is_dir() => Err(io::Error::other("it is a directory")),
        _ => Err(io::Error::other("it is not a regular file")),
    }
}

/// Writes beside the file and renames, so that whatever goes wrong leaves what was there. What is no
/// regular file is written to as it is.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let about = fs::metadata(path).ok();
    if about.as_ref().is_some_and(|about| !about.is_file()) {
        return fs::write(path, text);
    }
    // A link goes on to lead where it leads.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jarosite-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let Ok(mut fresh) = builder.tempfile_in(parent.unwrap_or(Path::new("."))) else {
        // Whoever may write the file need not be allowed to make others beside it.
        return fs::write(&path, text);
    };
    fresh.write_all(text)?;
    fresh.as_file().sync_all()?;
    if let Some(about) = about {
        fresh.as_file().set_permissions(about.permissions())?;
    }
    fresh.persist(&path).map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_not_read() {
        if cfg!(unix) {
            let error = read(Path::new("/dev/zero")).expect_err("no end");
            assert_eq!(error.to_string(), "it is not a regular file");
        }
        assert!(read(Path::new(".")).is_err());
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(LARGEST + 1).expect("a sparse file");
        assert_eq!(read(file.path()).expect_err("large").to_string(), "it is larger than 64 MB");
        file.as_file().set_len(3).expect("a file");
        assert_eq!(read(file.path()).expect("small"), [0, 0, 0]);
    }

    #[test]
    fn what_cannot_be_written_stays_as_it_was() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("report");
        write(&file, b"one").expect("written");
        write(&file, b"two").expect("written again");
        assert_eq!(fs::read(&file).expect("a file"), b"two");
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1);
    }
}
