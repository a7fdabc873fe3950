import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const size = '400m'
const block = Buffer.alloc(1024 * 1024)

/** A separate file system in memory that can be filled to the last byte. */
export interface SmallDisk {
  directory: string
  /** Fills the disk. */
  fill(): Promise<void>
  /** Frees the disk. */
  clear(): Promise<void>
  stop(): void
}

/** @returns why this user cannot mount one; null if possible */
export function whyNoSmallDisk(): string | null {
  try {
    mountSmallDisk().stop()
    return null
  } catch (error) {
    return `no file system can be mounted (${(error as Error).message})`
  }
}

/** @throws Error if this user may not mount */
export function mountSmallDisk(): SmallDisk {
  const parent = mkdtempSync(join(tmpdir(), 'tollgate-disk-'))
  const directory = join(parent, 'disk')
  const filling = join(directory, 'filling')
  mkdirSync(directory)
  // The server runs as another user.
  chmodSync(parent, 0o755)
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0777`, 'tmpfs', directory)
  } catch (error) {
    rmSync(parent, { recursive: true })
    throw error
  }
  return {
    directory,
    async fill() {
      const file = await open(filling, 'w')
      try {
        for (let part = block; part.length > 0; part = part.subarray(0, part.length >> 1)) await fillWith(file, part)
      } finally {
        await file.close()
      }
    },
    clear: () => rm(filling),
    stop() {
      run('umount', directory)
      rmSync(parent, { recursive: true })
    }
  }
}

async function fillWith(file: FileHandle, part: Buffer): Promise<void> {
  try {
    for (;;) await file.appendFile(part)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function run(command: string, ...args: string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(stderr.trim())
}
