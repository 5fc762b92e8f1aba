//! The HTML report in a real browser: stepping, drawing, keys, colours, and nothing on the console.

mod driver;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use driver::{Browser, Key};
use tempfile::TempDir;

/// A list that loses a node, with names and texts that would like to be markup.
const SOURCE: &str = r#"
class Chain {
    static class Node { int value; Node next; }
    Node head;

    //$ requires all n: this.head.*next | n !in n.^next
    //$ ensures this.head'.*next' = this.head.*next
    void reverse() {
        Node done = null;
        Node at = head;
        while (at != null) {
            Node rest = at.next;
            at.next = done;
            done = at;
            at = rest;
        }
    }

    static int hostile(String s, int[] a) {
        String t = s + "</script><script>alert('&amp;')</script><!-- \u202e";
        int[] b = new int[a.length];
        for (int i = 0; i <= a.length; i++) {
            b[i] = a[i] + t.length();
        }
        return b[0];
    }
}
"#;

struct Page {
    directory: TempDir,
}

impl Page {
    fn new() -> Page {
        let directory = tempfile::tempdir().expect("a directory");
        let page = Page { directory };
        fs::write(page.path("Chain.java"), SOURCE).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_jarosite"))
            .args(["check", "Chain.java", "--format", "html=report.html", "--array-length", "2"])
            .current_dir(page.directory.path())
            .output()
            .expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        page
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

const PICTURE: &str = "document.querySelector('.stepper .canvas svg').innerHTML";
const COUNT: &str = "document.querySelector('.count').textContent";
const CURRENT: &str =
    "document.querySelector('section').querySelector('li.line.now')?.dataset.row ?? ''";
const PAPER: &str = "getComputedStyle(document.body).backgroundColor";

#[test]
fn a_reader_steps_through_a_violation() {
    let page = Page::new();
    let browser = Browser::start(false);
    browser.open(&page.path("report.html"));
    assert_eq!(browser.console(), Vec::<String>::new());

    // It opens where the violation shows.
    let sections = browser.read("document.querySelectorAll('section.violation').length");
    assert_eq!(sections, 2);
    let last = browser.text(PICTURE);
    let total = browser.text(COUNT);
    assert!(total.split('/').all(|n| n.trim().parse::<u32>().is_ok_and(|n| n > 3)), "{total}");

    browser.press(Key::Home);
    assert_eq!(browser.text(COUNT), "start");
    assert_eq!(browser.text(CURRENT), "", "no line has been executed");
    let first = browser.text(PICTURE);
    assert_ne!(first, last, "the drawing changes");

    let mut pictures = vec![first.clone()];
    let mut lines = vec![String::new()];
    for _ in 0..20 {
        browser.press(Key::Right);
        pictures.push(browser.text(PICTURE));
        lines.push(browser.text(CURRENT));
    }
    assert_eq!(pictures.last(), Some(&last), "stepping on leads to the end and stays there");
    assert!(lines.iter().any(|l| l == "Chain.java:13"), "{lines:?}");
    let changed = pictures.iter().any(|p| p.contains("edge changed"));
    assert!(changed, "a changed reference is marked");
    browser.press(Key::End);
    browser.press(Key::Left);
    browser.press(Key::Left);
    let count = browser.text(COUNT);
    assert_ne!(count, total, "stepping back");
    browser.click("button[data-go=first]");
    assert_eq!(browser.text(PICTURE), first, "the same step is the same drawing");
    browser.read("(s => { s.value = 2; s.dispatchEvent(new Event('input')); return 1; })(document.querySelector('input[type=range]'))");
    assert!(browser.text(COUNT).starts_with("2 /"));

    // Objects stay where they are: the box of one object has one place in all pictures.
    let boxes = |picture: &str| -> Vec<String> {
        picture
            .split("<rect class=\"box\"")
            .skip(1)
            .map(|r| r.split("width").next().unwrap_or_default().to_string())
            .collect()
    };
    assert_eq!(boxes(&first), boxes(&last));
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn nothing_of_the_code_becomes_markup_and_nothing_is_fetched() {
    let page = Page::new();
    let browser = Browser::start(false);
    browser.open(&page.path("report.html"));
    let scripts = browser.read("document.querySelectorAll('script:not(.data)').length");
    assert_eq!(scripts, 1);
    let code =
        browser.text("document.querySelectorAll('section')[1].querySelector('.code').textContent");
    assert!(code.contains("</script><script>alert('&amp;')</script><!--"), "{code}");
    let locals = browser.text(
        "document.querySelectorAll('section')[1].querySelector('.stepper .locals').textContent",
    );
    assert!(locals.contains("</script><script>"), "{locals}");
    let fetched = browser.read("performance.getEntriesByType('resource').length");
    assert_eq!(fetched, 0);
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
fn dark_and_light_by_the_system_and_by_the_button() {
    let page = Page::new();
    let browser = Browser::start(true);
    browser.open(&page.path("report.html"));
    let dark = browser.text(PAPER);
    browser.click("#theme");
    let light = browser.text(PAPER);
    assert_ne!(dark, light);
    browser.click("#theme");
    assert_eq!(browser.text(PAPER), dark);
    let browser = Browser::start(false);
    browser.open(&page.path("report.html"));
    assert_eq!(browser.text(PAPER), light);
}

#[test]
fn a_keyboard_and_a_screen_reader_are_enough() {
    let page = Page::new();
    let browser = Browser::start(false);
    browser.open(&page.path("report.html"));
    // Tab leads to the controls, and Enter presses them.
    let focused = "document.activeElement.getAttribute('data-go') ?? ''";
    for _ in 0..30 {
        if browser.text(focused) == "back" {
            break;
        }
        browser.press(Key::Tab);
    }
    assert_eq!(browser.text(focused), "back");
    let before = browser.text(COUNT);
    browser.press(Key::Enter);
    assert_ne!(browser.text(COUNT), before);
    // The picture is described in words, and every control has a name.
    let words =
        browser.text("document.querySelector('.stepper .canvas svg').getAttribute('aria-label')");
    assert!(words.contains("Chain#0: head is Node#0."), "{words}");
    let nameless = browser.read(
        "[...document.querySelectorAll('button, input')].filter(e => !e.getAttribute('aria-label') && !e.textContent.trim()).length",
    );
    assert_eq!(nameless, 0);
    let live = browser.text("document.querySelector('.caption').getAttribute('aria-live')");
    assert_eq!(live, "polite");
    // On paper there are the start, the end and all steps.
    let still = browser.read("document.querySelector('.still').querySelectorAll('svg').length");
    assert_eq!(still, 2);
    let rows = browser.read("document.querySelector('.steps tbody').rows.length");
    assert!(rows.as_u64().is_some_and(|rows| rows > 3), "{rows}");
}
