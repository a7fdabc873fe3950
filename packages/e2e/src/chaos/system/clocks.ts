import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeClockModule = fileURLToPath(new URL('./shift-clock.mjs', import.meta.url))

/** Wall clocks of processes, each of which can be moved while its process runs. */
export type Clocks = {
  /** @param aheadSeconds of the clock of this machine; below 0 for behind. Whole seconds */
  move(name: string, aheadSeconds: number): void
  /** The environment of a Node program that has the clock of this name; empty if there is none. */
  ofNode(name: string): Record<string, string>
  /** The environment of any other program. @throws Error if it has a clock, and libfaketime is not installed */
  ofServer(name: string): Record<string, string>
  stop(): void
}

/** The library of the package `faketime`, which moves the clock of a program; null if it is not installed. */
export function findFaketime(): string | null {
  const directories = ['/usr/lib', '/usr/local/lib', '/usr/lib64']
  const all = directories.flatMap((directory) => [directory, ...subdirectories(directory)])
  return (
    all.map((directory) => join(directory, 'faketime', 'libfaketime.so.1')).find((file) => existsSync(file)) ?? null
  )
}

export const whyNoClocks = (): string | null =>
  findFaketime() === null ? 'libfaketime is not installed (Debian: faketime)' : null

function subdirectories(directory: string): string[] {
  if (!existsSync(directory)) return []
  const entries = readdirSync(directory, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
}

/** @param aheadSeconds by name the clocks that there are, and how far each is ahead at first */
export function createClocks(aheadSeconds: Readonly<Record<string, number>>): Clocks {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-clocks-'))
  // PostgreSQL runs as another user.
  chmodSync(directory, 0o755)
  const move = (name: string, aheadSeconds: number) => {
    const file = join(directory, name)
    writeFileSync(`${file}.new`, `${aheadSeconds < 0 ? '-' : '+'}${Math.abs(aheadSeconds)}`)
    // At once: who reads it meanwhile must not find it empty.
    renameSync(`${file}.new`, file)
  }
  for (const [name, seconds] of Object.entries(aheadSeconds)) move(name, seconds)
  const hasClock = (name: string) => Object.hasOwn(aheadSeconds, name)
  return {
    move,
    ofNode(name): Record<string, string> {
      if (!hasClock(name)) return {}
      return { NODE_OPTIONS: `--import=${nodeClockModule}`, CLOCK_FILE: join(directory, name) }
    },
    ofServer(name): Record<string, string> {
      if (!hasClock(name)) return {}
      const library = findFaketime()
      if (library === null) throw new Error('libfaketime is not installed')
      return {
        // The C library before jemalloc: that asks for the time before libfaketime is ready to tell it.
        LD_PRELOAD: `${library} libc.so.6`,
        FAKETIME_TIMESTAMP_FILE: join(directory, name),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1'
      }
    },
    stop: () => rmSync(directory, { recursive: true })
  }
}
