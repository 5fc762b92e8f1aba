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
            .args([
                "check",
                "--invariants",
                "declared",
                "Chain.java",
                "--format",
                "html=report.html",
                "--array-length",
                "2",
            ])
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
    assert!(lines.iter().any(|l| l.ends_with("Chain.java:13")), "{lines:?}");
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
    // A link leads to its violation, and the keys with it.
    browser.open(&page.path("report.html"));
    let link = "document.activeElement.getAttribute('href') ?? ''";
    for _ in 0..30 {
        if browser.text(link).ends_with("v0") && browser.text(link) != first_link(&browser) {
            break;
        }
        browser.press(Key::Tab);
    }
    browser.press(Key::Enter);
    let second = "document.querySelectorAll('.count')[1].textContent";
    let before = browser.text(COUNT);
    browser.press(Key::Home);
    assert_eq!((browser.text(second).as_str(), browser.text(COUNT)), ("start", before));
    // Whoever cannot scroll with a mouse can still reach what is out of sight.
    let unreachable = browser.read(
        "[...document.querySelectorAll('.code, .canvas')].filter(e => e.tabIndex !== 0).length",
    );
    assert_eq!(unreachable, 0);
    // On paper there are the start, the end and all steps.
    let still = browser.read("document.querySelector('.still').querySelectorAll('svg').length");
    assert_eq!(still, 2);
    let rows = browser.read("document.querySelector('.steps tbody').rows.length");
    assert!(rows.as_u64().is_some_and(|rows| rows > 3), "{rows}");
}

fn first_link(browser: &Browser) -> String {
    browser.text("document.querySelector('.methods a').getAttribute('href')")
}

/// Texts with too little contrast to what is behind them (WCAG 2, level AA), as far as the style says:
/// computed from the colours that the browser uses. SVG paints with `fill` on the shape before it.
const PALE: &str = r#"(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (color) => {
        const [r, g, b] = color.slice(0, 3).map((c) => c / 255)
            .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behindText = (text) => {
        const box = text.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const covers = (shape) => {
            const area = shape.getBoundingClientRect();
            const inside = area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
            return inside && rgba(getComputedStyle(shape).fill)[3] === 255;
        };
        let shape = text.previousElementSibling;
        while (shape && !(shape.matches('rect, path') && covers(shape))) {
            shape = shape.previousElementSibling;
        }
        return shape ? getComputedStyle(shape).fill : null;
    };
    const behind = (element) => {
        if (element.matches('text') && behindText(element)) return rgba(behindText(element));
        for (let at = element; at; at = at.parentElement) {
            const color = rgba(getComputedStyle(at).backgroundColor);
            if (color[3] === 255) return color;
        }
        return [255, 255, 255, 255];
    };
    const opacity = (element) => {
        let product = 1;
        for (let at = element; at; at = at.parentElement) product *= getComputedStyle(at).opacity;
        return product;
    };
    const pale = [];
    for (const element of document.querySelectorAll('main *')) {
        const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || element.matches('script, title') || element.getClientRects().length === 0) continue;
        if (element.closest('[aria-disabled=true], .quiet, caption')) continue;
        const style = getComputedStyle(element);
        const paper = behind(element);
        const ink = rgba(element.matches('text') ? style.fill : style.color);
        const share = opacity(element);
        const mixed = ink.map((c, i) => c * share + paper[i] * (1 - share));
        const [low, high] = [luminance(mixed), luminance(paper)].sort((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05);
        if (ratio < 4.5) pale.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute('class')} ${element.textContent.trim().slice(0, 20)}`);
    }
    return [...new Set(pale)];
})()"#;

#[test]
fn every_text_stands_out_from_what_is_behind_it() {
    let page = Page::new();
    for dark in [false, true] {
        let browser = Browser::start(dark);
        browser.open(&page.path("report.html"));
        browser.read("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
        for _ in 0..12 {
            assert_eq!(browser.read(PALE), serde_json::json!([]), "dark: {dark}");
            browser.press(Key::Left);
        }
        // The check would notice: this is grey on white, or on black.
        browser.read("(document.querySelector('h1').style.color = '#777b7f', document.querySelector('h1').style.opacity = 0.5)");
        assert_ne!(browser.read(PALE), serde_json::json!([]), "dark: {dark}");
    }
}

#[test]
fn paper_is_light_and_has_everything() {
    let page = Page::new();
    let browser = Browser::start(true);
    browser.open(&page.path("report.html"));
    browser.click("#theme");
    browser.click("#theme");
    let shown = |selector: &str| {
        browser.read(&format!(
            "[...document.querySelectorAll('{selector}')].filter(e => e.getClientRects().length > 0).length"
        ))
    };
    assert_eq!((shown(".controls"), shown(".still svg")), (2.into(), 0.into()));
    browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({"media": "print"}));
    assert_eq!(browser.text(PAPER), "rgb(255, 255, 255)");
    let ink = browser.text("getComputedStyle(document.body).color");
    assert_eq!(ink, "rgb(31, 35, 40)", "dark on the screen is not dark on paper");
    assert_eq!((shown(".controls"), shown("#theme")), (0.into(), 0.into()));
    assert_eq!(shown(".still svg"), 4, "start and end of both violations");
    assert_eq!(browser.read(PALE), serde_json::json!([]));
}
