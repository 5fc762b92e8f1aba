//! Projects on disk, and what is found around them.

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }
    directory
}

fn names(directory: &tempfile::TempDir, paths: &[PathBuf]) -> Vec<String> {
    let below = |path: &PathBuf| {
        let short = path.strip_prefix(directory.path()).expect("a file of the test");
        short.display().to_string()
    };
    paths.iter().map(below).collect()
}

#[test]
fn the_libraries_of_a_module_of_maven() {
    let directory = tree(&[
        (
            "pom.xml",
            "<project><groupId>g</groupId><artifactId>root</artifactId><version>1</version>\
             <properties><lib.version>2.0</lib.version></properties><dependencyManagement>\
             <dependencies><dependency><groupId>org.lib</groupId><artifactId>lib</artifactId>\
             <version>${lib.version}</version></dependency><dependency><groupId>g</groupId>\
             <artifactId>bom</artifactId><version>1</version><type>pom</type>\
             <scope>import</scope></dependency></dependencies></dependencyManagement></project>",
        ),
        (
            "app/pom.xml",
            "<project><parent><groupId>g</groupId><artifactId>root</artifactId>\
             <version>1</version></parent><artifactId>app</artifactId><dependencies>\
             <dependency><groupId>org.lib</groupId><artifactId>lib</artifactId></dependency>\
             <dependency><groupId>g</groupId><artifactId>core</artifactId>\
             <version>${project.version}</version></dependency>\
             <dependency><groupId>t</groupId><artifactId>t</artifactId><version>1</version>\
             <scope>test</scope></dependency>\
             <dependency><groupId>b</groupId><artifactId>b</artifactId></dependency>\
             <dependency><groupId>no</groupId><artifactId>where</artifactId>\
             <version>1</version></dependency></dependencies></project>",
        ),
        ("core/pom.xml", "<project><artifactId>core</artifactId></project>"),
        ("m2/org/lib/lib/2.0/lib-2.0.jar", ""),
        (
            "m2/org/lib/lib/2.0/lib-2.0.pom",
            "<project><dependencies><dependency><groupId>deep</groupId>\
             <artifactId>deep</artifactId><version>3</version></dependency></dependencies></project>",
        ),
        ("m2/deep/deep/3/deep-3.jar", ""),
        (
            "m2/g/bom/1/bom-1.pom",
            "<project><dependencyManagement><dependencies><dependency><groupId>b</groupId>\
             <artifactId>b</artifactId><version>7</version></dependency></dependencies>\
             </dependencyManagement></project>",
        ),
        ("m2/b/b/7/b-7.jar", ""),
    ]);
    let root = directory.path();
    let (found, missing) = maven::libraries(&root.join("app"), &root.join("m2"));
    let jars = ["m2/org/lib/lib/2.0/lib-2.0.jar", "m2/b/b/7/b-7.jar", "m2/deep/deep/3/deep-3.jar"];
    assert_eq!(names(&directory, &found), jars);
    assert_eq!(missing.iter().map(Library::name).collect::<Vec<_>>(), ["no:where:1"]);
}

#[test]
fn the_libraries_of_a_module_of_gradle() {
    let directory = tree(&[
        (
            "app/build.gradle",
            "dependencies {\n  implementation 'a:b:1.0'\n  testImplementation 'x:y:1'\n\
             api(\"c:d:2\")\n  implementation project(':core')\n  implementation \"e:f:$v\"\n}\n",
        ),
        (".gradle/caches/modules-2/files-2.1/a/b/1.0/abc/b-1.0.jar", ""),
        (".m2/repository/c/d/2/d-2.jar", ""),
    ]);
    let (found, missing) = gradle::libraries(&directory.path().join("app"), directory.path());
    let jars = [
        ".gradle/caches/modules-2/files-2.1/a/b/1.0/abc/b-1.0.jar",
        ".m2/repository/c/d/2/d-2.jar",
    ];
    assert_eq!(names(&directory, &found), jars);
    assert!(missing.is_empty());
}

#[test]
fn modules_see_each_other() {
    let directory = tree(&[
        ("pom.xml", "<project/>"),
        ("app/pom.xml", "<project/>"),
        ("app/src/main/java/p/A.java", "package p; class A {}"),
        ("app/target/classes/p/Generated.class", ""),
        ("core/pom.xml", "<project/>"),
        ("core/src/main/java/q/B.java", "package q; class B {}"),
        ("core/lib/old.jar", ""),
    ]);
    let path = directory.path().join("app/src/main/java/p/A.java");
    let mut inputs = Inputs::collect(std::slice::from_ref(&path), &[], &[]);
    complete(&mut inputs, &[path]);
    assert_eq!(names(&directory, &inputs.class_path), ["app/target/classes", "core/lib/old.jar"]);
    assert_eq!(names(&directory, &inputs.source_path), ["core/src/main/java"]);
    assert!(inputs.diagnostics.is_empty());
}

#[test]
fn poms_that_lead_in_circles_or_nowhere_end() {
    let directory = tree(&[(
        "pom.xml",
        "<project><artifactId>a</artifactId><parent><groupId>g</groupId>\
         <artifactId>a</artifactId><version>1</version><relativePath>pom.xml</relativePath>\
         </parent><properties><x>${x}</x></properties><dependencies><dependency>\
         <groupId>g</groupId><artifactId>b</artifactId><version>${x}</version></dependency>\
         </dependencies></project>",
    )]);
    assert!(maven::libraries(directory.path(), directory.path()).0.is_empty());
    fs::write(directory.path().join("pom.xml"), "<project").expect("a file");
    assert!(maven::libraries(directory.path(), directory.path()).1.is_empty());
}
