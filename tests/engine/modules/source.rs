//! References from one file of a package to items of another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// A path in one file to an item in another.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The file that refers, relative to the package's source folder.
    pub from: String,
    /// The file that defines the item.
    pub to: String,
    /// The line of the reference, from 1.
    pub line: usize,
    /// The path as it is written.
    pub path: String,
}

/// The modules of one package by their paths; the root is the empty path.
#[derive(Default)]
pub struct Package {
    modules: BTreeMap<Vec<String>, Module>,
}

#[derive(Default)]
struct Module {
    file: String,
    children: Vec<String>,
    /// What `use` brings into scope, by name.
    imports: BTreeMap<String, Vec<String>>,
    /// The modules of which `use … ::*` brings all items into scope.
    globs: Vec<Vec<String>>,
    /// Paths that may lead to another module, with their lines.
    paths: Vec<(Vec<String>, usize)>,
}

/// The files of a source folder: their names and texts.
pub fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    read_folder(folder, "", &mut texts);
    texts
}

impl Package {
    /// Reads a source folder.
    pub fn read(folder: &Path) -> Package {
        Package::from_texts(
            texts(folder)
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str())),
        )
    }

    /// A package of files with these names and texts.
    pub fn from_texts<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Package {
        let mut package = Package::default();
        for (name, text) in files {
            let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let path = module_path(name);
            package.add(name, path, &file.items);
        }
        package
    }

    /// The number of files.
    pub fn file_count(&self) -> usize {
        let mut files: Vec<&str> = self.modules.values().map(|module| module.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        files.len()
    }

    fn add(&mut self, file: &str, path: Vec<String>, items: &[Item]) {
        let mut module = Module {
            file: file.into(),
            ..Module::default()
        };
        let mut inline = Vec::new();
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(child) => {
                    let name = child.ident.to_string();
                    if let Some((_, items)) = &child.content {
                        let mut path = path.clone();
                        path.push(name.clone());
                        inline.push((path, items));
                    }
                    module.children.push(name);
                }
                Item::Use(import) => {
                    let line = import.use_token.span.start().line;
                    let is_reexport = !matches!(import.vis, syn::Visibility::Inherited);
                    module.import(&import.tree, &mut Vec::new(), line, is_reexport);
                }
                _ => Paths(&mut module.paths).visit_item(item),
            }
        }
        self.modules.insert(path, module);
        for (path, items) in inline {
            self.add(file, path, items);
        }
    }

    /// All references from one file to another.
    pub fn references(&self) -> Vec<Reference> {
        let mut references = Vec::new();
        for (at, module) in &self.modules {
            for (path, line) in &module.paths {
                if let Some(to) = self.resolve(at, path, 0)
                    && to != module.file
                {
                    references.push(Reference {
                        from: module.file.clone(),
                        to,
                        line: *line,
                        path: path.join("::"),
                    });
                }
            }
        }
        references
    }

    /// The file that defines what a path means in a module; `None` for other
    /// packages and for names that are not modules or imports.
    fn resolve(&self, at: &[String], path: &[String], depth: usize) -> Option<String> {
        if depth > 20 {
            return None;
        }
        let mut at = at.to_vec();
        let mut rest = path;
        let mut is_relative = true;
        while let [first, more @ ..] = rest {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop()?;
                }
                _ => break,
            }
            is_relative = false;
            rest = more;
        }
        loop {
            let module = self.modules.get(&at)?;
            let Some((name, more)) = rest.split_first() else {
                return Some(module.file.clone());
            };
            if module.children.contains(name) {
                at.push(name.clone());
                // A test module has no entry.
                self.modules.get(&at)?;
                (rest, is_relative) = (more, false);
            } else if let Some(target) = module.imports.get(name) {
                let full: Vec<String> = target.iter().chain(more).cloned().collect();
                return self.resolve(&at, &full, depth + 1);
            } else if is_relative {
                return None;
            } else {
                let glob = module.globs.iter().find_map(|glob| {
                    let full: Vec<String> = glob.iter().chain(rest).cloned().collect();
                    self.resolve(&at, &full, depth + 1)
                });
                return Some(glob.unwrap_or_else(|| module.file.clone()));
            }
        }
    }
}

impl Module {
    /// Records what one `use` imports.
    fn import(&mut self, tree: &UseTree, prefix: &mut Vec<String>, line: usize, is_reexport: bool) {
        let import = |module: &mut Module, name: String, path: Vec<String>| {
            // A folder that re-exports its children does not depend on them.
            let is_own = module.children.contains(&path[0]) || path[0] == "self";
            if !(is_reexport && is_own) {
                module.paths.push((path.clone(), line));
            }
            module.imports.insert(name, path);
        };
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix, line, is_reexport);
                prefix.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = prefix.last().cloned().unwrap_or_default();
                import(self, last, prefix.clone());
            }
            UseTree::Name(name) => {
                let path: Vec<String> = prefix.iter().cloned().chain([name.ident.to_string()]).collect();
                import(self, name.ident.to_string(), path);
            }
            UseTree::Rename(name) => {
                let path = prefix.iter().cloned().chain([name.ident.to_string()]).collect();
                import(self, name.rename.to_string(), path);
            }
            UseTree::Glob(_) => {
                self.globs.push(prefix.clone());
                self.paths.push((prefix.clone(), line));
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix, line, is_reexport);
                }
            }
        }
    }
}

/// Collects the paths of an item, those in macros included.
struct Paths<'a>(&'a mut Vec<(Vec<String>, usize)>);

impl Paths<'_> {
    fn push(&mut self, names: Vec<String>, span: Span) {
        if names.len() > 1 {
            self.0.push((names, span.start().line));
        }
    }

    /// The paths in the tokens of a macro: names joined by `::`.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut names: Vec<String> = Vec::new();
        let mut start = Span::call_site();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.push(std::mem::take(&mut names), start);
                        start = ident.span();
                    }
                    names.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.push(std::mem::take(&mut names), start);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.push(names, start);
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if let Some(first) = path.segments.first() {
            self.push(names, first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        // Inside a function, only the paths matter.
        let mut scope = Module::default();
        scope.import(
            &import.tree,
            &mut Vec::new(),
            import.use_token.span.start().line,
            false,
        );
        self.0.append(&mut scope.paths);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }
}

/// Whether an item is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::NameValue(_) => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The module path of a file: `a/mod.rs` and `a.rs` are `a`, `lib.rs` and
/// `main.rs` the root.
fn module_path(file: &str) -> Vec<String> {
    let name = file.strip_suffix(".rs").unwrap_or(file);
    let mut path: Vec<String> = name.split('/').map(String::from).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

fn read_folder(folder: &Path, prefix: &str, texts: &mut Vec<(String, String)>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    // The program only starts the library of the same name.
    let has_library = folder.join("lib.rs").exists();
    for path in entries {
        let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            read_folder(&path, &format!("{name}/"), texts);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !(has_library && name == "main.rs")
        {
            texts.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}
