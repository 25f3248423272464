use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// A file that appears complete or not at all.
///
/// Bytes go to a temporary file beside it, without a buffer: hand over whole blocks.
/// [`Output::commit`] gives it its name; an output that is dropped before is removed and leaves a
/// file that had the name before as it was.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    file: NamedTempFile,
}

/// As any program creates a file; the umask takes its part away.
const MODE: u32 = 0o666;

impl Output {
    /// Begins the file at `path`; if there is a symbolic link, at the place that it points to. A file
    /// that it will replace passes its permissions on.
    ///
    /// # Errors
    /// Invalid if `path` is a directory or a device, NotFound if its directory does not exist, Io.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let target = target(path.as_ref())?;
        // Else the error would name the temporary file.
        fs::metadata(parent(&target)).map_err(|e| failed(parent(&target), &e))?;
        let file = tempfile::Builder::new()
            .prefix(".outpour-")
            .suffix(".tmp")
            .permissions(Permissions::from_mode(MODE))
            .tempfile_in(parent(&target))
            .map_err(|e| failed(&target, &e))?;
        // Who could not read the file before cannot read it after.
        if let Ok(replaced) = fs::metadata(&target) {
            let kept = file.as_file().set_permissions(replaced.permissions());
            kept.map_err(|e| failed(&target, &e))?;
        }
        Ok(Self { target, file })
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// Io; the file is then absent, unless the only thing that failed was to make its name durable.
    pub fn commit(self) -> Result<()> {
        let Self { target, file } = self;
        file.as_file().sync_all().map_err(|e| failed(&target, &e))?;
        file.persist(&target).map_err(|e| failed(&target, &e.error))?;
        let directory = File::open(parent(&target)).and_then(|directory| directory.sync_all());
        directory.map_err(|e| failed(&target, &e))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.as_file_mut().write(bytes);
        written.map_err(|e| io::Error::new(e.kind(), failed(&self.target, &e)))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cold]
fn failed(target: &Path, error: &io::Error) -> Error {
    Error::io(target.display().to_string(), error)
}

/// Where the file will be: renaming onto a link or a device would replace the link or the device.
fn target(path: &Path) -> Result<PathBuf> {
    let metadata = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return new_target(path),
        metadata => metadata.map_err(|e| failed(path, &e))?,
    };
    let refuse = |problem: &str| Err(Error::invalid(path.display().to_string(), problem));
    if metadata.is_dir() {
        return refuse("is a directory: name a file");
    }
    if !metadata.is_file() {
        return refuse("is not a regular file: write to standard output and redirect it");
    }
    fs::canonicalize(path).map_err(|e| failed(path, &e))
}

fn new_target(path: &Path) -> Result<PathBuf> {
    let refuse = |problem: &str| Err(Error::invalid(path.display().to_string(), problem));
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return refuse("is not the name of a file");
    }
    if path.is_symlink() {
        return refuse("is a symbolic link to a file that does not exist");
    }
    Ok(path.to_owned())
}

fn parent(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::ErrorKind;

    fn names(directory: &Path) -> Vec<String> {
        let listed = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            listed.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn appears_only_when_committed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rows.jsonl");
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"{}\n").unwrap();
        assert!(!path.exists());
        output.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"{}\n");
        assert_eq!(names(temp.path()), ["rows.jsonl"]);
        let other = temp.path().join("plain");
        fs::write(&other, b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&other));
    }

    #[test]
    fn a_dropped_output_leaves_everything_as_it_was() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rows");
        fs::write(&path, b"before").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"after").unwrap();
        assert_eq!(names(temp.path()).len(), 2);
        drop(output);
        assert_eq!(names(temp.path()), ["rows"]);
        assert_eq!(fs::read(&path).unwrap(), b"before");
    }

    #[test]
    fn replaces_the_file_behind_a_link() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("real"), b"before").unwrap();
        let link = temp.path().join("link");
        symlink("real", &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write_all(b"after").unwrap();
        output.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(temp.path().join("real")).unwrap(), b"after");
    }

    #[test]
    fn permissions_of_a_replaced_file_stay() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rows");
        for mode in [0o600, 0o640, 0o666] {
            fs::write(&path, b"before").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let mut output = Output::create(&path).unwrap();
            output.write_all(b"after").unwrap();
            output.commit().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let error = Output::create("/no/such/directory/rows").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().starts_with("/no/such/directory: "), "{error}");
    }

    #[test]
    fn refuses_what_a_rename_would_destroy() {
        let temp = tempfile::tempdir().unwrap();
        let kind = |path: &Path| Output::create(path).unwrap_err().kind();
        symlink("nowhere", temp.path().join("dangling")).unwrap();
        assert_eq!(kind(temp.path()), ErrorKind::Invalid);
        assert_eq!(kind(&temp.path().join("dangling")), ErrorKind::Invalid);
        assert_eq!(kind(Path::new("/dev/null")), ErrorKind::Invalid);
        assert_eq!(kind(&temp.path().join("none/file")), ErrorKind::NotFound);
        assert_eq!(kind(&temp.path().join("slash/")), ErrorKind::Invalid);
        assert_eq!(kind(Path::new("")), ErrorKind::Invalid);
        assert_eq!(names(temp.path()), ["dangling"]);
    }

    #[test]
    fn a_target_that_became_a_directory_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rows");
        let output = Output::create(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(output.commit().unwrap_err().kind(), ErrorKind::Io);
        assert_eq!(names(temp.path()), ["rows"]);
    }
}
