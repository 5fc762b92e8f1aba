//! Reports for build servers.

use crate::workspace::{Document, VERDICTS, Workspace};

#[test]
fn sarif_and_junit_beside_json() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let formats = ["--format", "sarif=out.sarif", "--format", "junit=out.xml", "--format", "json"];
    let said = workspace.check(&[&["classes"], &formats[..]].concat()).exits(1).quietly();
    let json = Document::parse(&said.stdout);
    let violation = &json.method("divide(int,int)")["violations"][0];
    let sarif = Document::parse(&workspace.read("out.sarif")).0;
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "division-by-zero");
    assert_eq!(result["partialFingerprints"]["jarosite/v1"], violation["fingerprint"]);
    let xml = workspace.read("out.xml");
    assert!(xml.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
}

#[test]
fn annotations_where_somebody_reads_them() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let arguments = ["classes", "--sourcepath", "."];
    let said = workspace.check_with(&arguments, |command| {
        command.env("GITHUB_ACTIONS", "true");
    });
    said.exits(1).warns(&[
        "::error file=Verdicts.java,line=4,title=jarosite%3A division-by-zero::",
        "::warning file=Verdicts.java,line=7,title=jarosite%3A undecided::",
    ]);
}
