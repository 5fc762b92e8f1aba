//! Projects on disk, and what is found around them.

use super::*;
use crate::trees::tree;

fn names(directory: &tempfile::TempDir, paths: &[PathBuf]) -> Vec<String> {
    let below = |path: &PathBuf| {
        let short = path.strip_prefix(directory.path()).expect("a file of the test");
        short.display().to_string()
    };
    paths.iter().map(below).collect()
}

fn stores(directory: &tempfile::TempDir) -> Stores {
    Stores { maven: directory.path().join("m2"), gradle: directory.path().join("gradle") }
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
    let (found, missing) = libraries(&directory.path().join("app"), &stores(&directory));
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
        ("gradle/a/b/1.0/abc/b-1.0.jar", ""),
        (
            "gradle/a/b/1.0/def/b-1.0.pom",
            "<project><dependencies><dependency><groupId>deep.er</groupId>\
             <artifactId>deep</artifactId><version>3</version></dependency></dependencies></project>",
        ),
        ("gradle/deep.er/deep/3/abc/deep-3.jar", ""),
        ("m2/c/d/2/d-2.jar", ""),
    ]);
    let (found, missing) = libraries(&directory.path().join("app"), &stores(&directory));
    let jars = [
        "gradle/a/b/1.0/abc/b-1.0.jar",
        "m2/c/d/2/d-2.jar",
        "gradle/deep.er/deep/3/abc/deep-3.jar",
    ];
    assert_eq!(names(&directory, &found), jars);
    assert!(missing.is_empty());
}

#[test]
fn names_that_a_build_of_gradle_gives_to_libraries() {
    let directory = tree(&[
        ("settings.gradle.kts", ""),
        ("gradle.properties", "org.gradle.jvmargs=-Xmx1g\nguavaVersion=33.0\n"),
        (
            "gradle/libs.versions.toml",
            "[versions]\nlang = \"3.14\"\nrich = { strictly = \"[1,2[\", prefer = \"1.5\" }\n\
             [libraries]\ncommons-lang3 = { module = \"org.c:lang\", version.ref = \"lang\" }\n\
             one_two = \"g:one:1\"\n\
             rich = { group = \"g\", name = \"rich\", version.ref = \"rich\" }\n\
             loose = { module = \"b:managed\" }\nbom = \"g:bom:1\"\n\
             [bundles]\nall = [\"one_two\", \"rich\"]\n",
        ),
        (
            "app/build.gradle.kts",
            "val jsonVersion = \"2.1\"\ndependencies {\n    implementation(libs.commons.lang3)\n    \
             api(libs.bundles.all)\n    implementation(platform(libs.bom))\n    \
             implementation(libs.loose)\n    implementation(\"b:other\")\n    \
             compileOnly(\"g:json:$jsonVersion\")\n    implementation(\"g:guava:${guavaVersion}\")\n    \
             implementation(group = \"g\", name = \"old\", version = \"4\")\n    \
             implementation(project(\":core\"))\n    implementation(libs.unknown)\n    \
             testImplementation(libs.junit)\n}\n",
        ),
        (
            "m2/g/bom/1/bom-1.pom",
            "<project><dependencyManagement><dependencies><dependency><groupId>b</groupId>\
             <artifactId>managed</artifactId><version>7</version></dependency></dependencies>\
             </dependencyManagement></project>",
        ),
    ]);
    let (_, missing) = libraries(&directory.path().join("app"), &stores(&directory));
    let named: Vec<String> = missing.iter().map(Library::name).collect();
    let expected = [
        "org.c:lang:3.14",
        "g:one:1",
        "g:rich:1.5",
        "b:managed:7",
        "g:json:2.1",
        "g:guava:33.0",
        "g:old:4",
    ];
    assert_eq!(named, expected);
}

#[test]
fn the_local_repository_is_where_maven_would_look() {
    let settings = "<settings><localRepository>${user.home}/jars</localRepository></settings>";
    let directory = tree(&[("home/.m2/settings.xml", settings), ("project/app/pom.xml", "")]);
    let (home, app) = (directory.path().join("home"), directory.path().join("project/app"));
    let with = |name: &'static str, value: &'static str| {
        move |asked: &str| (asked == name).then(|| value.to_string())
    };
    let nothing = |_: &str| None;
    assert_eq!(maven::repository(&app, &home, &nothing), home.join("jars"));
    let options = with("MAVEN_OPTS", "-Xmx1g -Dmaven.repo.local=/opt/m2");
    assert_eq!(maven::repository(&app, &home, &options), Path::new("/opt/m2"));
    let config = directory.path().join("project/.mvn/maven.config");
    fs::create_dir_all(config.parent().expect("a parent")).expect("a directory");
    fs::write(config, "-T1C\n-Dmaven.repo.local=/srv/m2\n").expect("a file");
    assert_eq!(maven::repository(&app, &home, &nothing), Path::new("/srv/m2"));
    fs::remove_file(home.join(".m2/settings.xml")).expect("it was there");
    let elsewhere = directory.path().join("home");
    assert_eq!(maven::repository(&elsewhere, &home, &nothing), home.join(".m2/repository"));
    let gradle = with("GRADLE_USER_HOME", "/opt/gradle");
    let stores = Stores::of(&app, &home, &gradle);
    assert_eq!(stores.gradle, Path::new("/opt/gradle/caches/modules-2/files-2.1"));
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
    assert_eq!(names(&directory, &inputs.modules), ["core/src/main/java"]);
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
    assert!(libraries(directory.path(), &stores(&directory)).0.is_empty());
    fs::write(directory.path().join("pom.xml"), "<project").expect("a file");
    assert!(libraries(directory.path(), &stores(&directory)).1.is_empty());
}

#[test]
fn a_root_is_found_across_directories_that_are_no_modules() {
    let directory = tree(&[
        ("shop/settings.gradle.kts", "include(\":services:pay\")"),
        ("shop/services/pay/build.gradle.kts", ""),
        ("shop/services/pay/src/Pay.java", ""),
        ("shop/vendored/.git/HEAD", ""),
        ("shop/vendored/tool/pom.xml", ""),
    ]);
    let root = |path: &str| {
        let found = root_around(&directory.path().join(path)).expect("a module");
        names(&directory, &[found]).concat()
    };
    assert_eq!(root("shop/services/pay/src/Pay.java"), "shop");
    // Another repository is another project.
    assert_eq!(root("shop/vendored/tool"), "shop/vendored/tool");
}

#[test]
fn what_is_in_parentheses_may_have_lines_of_its_own() {
    let directory = tree(&[
        ("gradle/libs.versions.toml", "[libraries]\na-b = \"g:b:1\"\n"),
        ("app/build.gradle.kts", "dependencies {\n  implementation(\n    libs.a.b\n  )\n}\n"),
        ("m2/g/b/1/b-1.jar", ""),
    ]);
    let (found, missing) = libraries(&directory.path().join("app"), &stores(&directory));
    assert_eq!((names(&directory, &found), missing), (vec!["m2/g/b/1/b-1.jar".into()], vec![]));
}
