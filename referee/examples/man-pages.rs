//! Writes the man pages of `referee` and `lodestone` to a folder, for packages.

use std::path::PathBuf;
use std::{env, fs, io};

use clap_mangen::Man;

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: man-pages FOLDER"))?;
    fs::create_dir_all(&folder)?;
    for program in referee::command_lines() {
        let mut program = program.disable_help_subcommand(true);
        program.build();
        let source = format!("{} {}", program.get_name(), lodestone_game::VERSION);
        let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
        for command in [&program].into_iter().chain(visible) {
            let man = Man::new(command.clone()).source(&source).manual("Lodestone");
            let mut page = Vec::new();
            man.render(&mut page)?;
            // The text below the options has lines and columns of its own.
            let page = String::from_utf8_lossy(&page).replace("\n.SH EXTRA\n", "\n.SH NOTES\n.nf\n.in 0\n");
            fs::write(folder.join(man.get_filename()), page)?;
        }
    }
    Ok(())
}
