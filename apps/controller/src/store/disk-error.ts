const meanings: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: make room',
  EDQUOT: 'the disk quota is used up: make room',
  EROFS: 'the file system is mounted read-only',
  EACCES: 'permission denied: it has to belong to the user that zoneproof runs as',
  EPERM: 'permission denied: it has to belong to the user that zoneproof runs as',
  ENOENT: 'there is no such directory, or its file system is read-only',
  ENOTDIR: 'a file is in the way',
  EEXIST: 'a file of that name is in the way',
  EIO: 'the disk does not work: look at the kernel log',
  EMFILE: 'too many open files: raise the limit (ulimit -n)',
  ENFILE: 'too many open files on this machine',
};

/** What a refusal by the file system means and where, without a stack; undefined for any other error. */
export function describeDiskError(error: unknown): string | undefined {
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  const meaning = code === undefined ? undefined : meanings[code];
  if (meaning === undefined || syscall === undefined) return undefined;
  return `${meaning} (${code}, ${syscall}${path === undefined ? '' : ` ${path}`})`;
}
