import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Version of a Debian package: lego as packaged does not know its own. */
export async function packageVersion(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)('dpkg-query', ['-W', '-f', '$' + '{Version}', name]);
  return `${stdout} (Debian)`;
}
