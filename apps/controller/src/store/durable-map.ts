import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { writeFileAtomically } from './atomic-file.ts';
import { StateDirError } from './state-format.ts';

/** One line of the file: the newest line of a key counts; without a value the key is gone. */
interface Line {
  readonly key: string;
  readonly value?: unknown;
}

/** A file is written anew when it has grown by this much, and to more than twice of what is in it. */
const growthOctets = 8 * 1024 * 1024;

/**
 * A map in memory over a file of JSON lines to which changes are appended. Changes that come together share one wait
 * for the disk, so that a thousand of them a second cost what a few do. What is read is what is durable: a change
 * shows in the map when it is on disk.
 */
export class DurableMap<Value> {
  readonly #path: string;
  readonly #values: Map<string, Value>;
  #file: FileHandle;
  #octets: number;
  /** Size of the file when it was last written anew. */
  #baseOctets: number;
  /** The file may end within a line, or is not the one that is written to: it has to be written anew first. */
  #isTorn = false;
  #isClosed = false;
  #waiting: { readonly line: Line; readonly done: () => void; readonly failed: (error: unknown) => void }[] = [];
  #writing: Promise<void> | undefined;

  private constructor(path: string, values: Map<string, Value>, file: FileHandle, octets: number) {
    this.#path = path;
    this.#values = values;
    this.#file = file;
    this.#octets = octets;
    this.#baseOctets = octets;
  }

  /** @throws StateDirError when a line is damaged that was once complete */
  static async open<Value>(path: string): Promise<DurableMap<Value>> {
    const values = await readDurableMap<Value>(path);
    // A torn last line goes, and so does everything that newer lines replaced.
    const octets = await writeAll(path, values);
    return new DurableMap(path, values, await openForAppend(path), octets);
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  values(): Iterable<Value> {
    return this.#values.values();
  }

  /** Durable when it resolves. Changes of one key must be made one after the other. */
  set(key: string, value: Value): Promise<void> {
    return this.#append({ key, value });
  }

  /** Durable when it resolves. */
  delete(key: string): Promise<void> {
    return this.#append({ key });
  }

  /** Resolves when everything asked for is on disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#writing !== undefined) await this.#writing;
    if (this.#isTorn) await this.#rewrite().catch(() => undefined);
    await this.#file.close();
  }

  #append(line: Line): Promise<void> {
    // Another process may hold the file by now.
    if (this.#isClosed) return Promise.reject(new StateDirError(`${this.#path} was closed before this change.`));
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#isTorn) await this.#rewrite();
        const text = Buffer.from(batch.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
        await this.#file.appendFile(text);
        await this.#file.datasync();
        this.#octets += text.length;
        for (const { line } of batch) {
          if (line.value === undefined) this.#values.delete(line.key);
          else this.#values.set(line.key, line.value as Value);
        }
        for (const { done } of batch) done();
        const isMostlyOld = this.#octets - this.#baseOctets > Math.max(growthOctets, this.#baseOctets);
        // An empty map leaves nothing behind: what it held may have been secret.
        if (isMostlyOld || (this.#values.size === 0 && this.#octets > 0)) await this.#rewrite();
      } catch (error) {
        // The disk is full or gone. Half a line may be there, and a line after it would make both unreadable.
        this.#isTorn = true;
        for (const { failed } of batch) failed(error);
      }
    }
    // In the same turn as the look at the list: a change that comes later has to start a new round.
    this.#writing = undefined;
  }

  /** Writes the file anew: what is durable and nothing else. */
  async #rewrite(): Promise<void> {
    const octets = await writeAll(this.#path, this.#values);
    const before = this.#file;
    this.#file = await openForAppend(this.#path);
    this.#octets = octets;
    this.#baseOctets = octets;
    this.#isTorn = false;
    await before.close();
  }
}

/** What the file holds, without opening it for writing. @throws StateDirError */
export async function readDurableMap<Value>(path: string): Promise<Map<string, Value>> {
  const values = new Map<string, Value>();
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new StateDirError(`${path} cannot be read (${error.code}).`, error);
  });
  const lines = text.split('\n');
  // What follows the last line end was never acknowledged to anybody.
  lines.pop();
  lines.forEach((line, index) => {
    try {
      const { key, value } = JSON.parse(line) as Line;
      if (value === undefined) values.delete(key);
      else values.set(key, value as Value);
    } catch (error) {
      throw new StateDirError(
        `${path}:${index + 1} is damaged. Restore the file from a backup; removing the line makes zoneproof forget what it says.`,
        error,
      );
    }
  });
  return values;
}

async function writeAll(path: string, values: ReadonlyMap<string, unknown>): Promise<number> {
  const text = Buffer.from([...values].map(([key, value]) => `${JSON.stringify({ key, value })}\n`).join(''));
  await writeFileAtomically(path, text);
  return text.length;
}

function openForAppend(path: string): Promise<FileHandle> {
  return open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
}
