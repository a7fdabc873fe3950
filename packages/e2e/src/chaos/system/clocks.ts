import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeClockModule = fileURLToPath(new URL('./shift-clock.mjs', import.meta.url))

/** Wall clocks of processes. Each can be moved while its process runs. */
export interface Clocks {
  /** @param aheadSeconds ahead of this machine's clock; negative for behind. Whole seconds */
  move(name: string, aheadSeconds: number): void
  /** How many seconds a clock is ahead; 0 if it does not exist. */
  aheadOf(name: string): number
  /** Environment of a Node program with this clock; empty if the clock does not exist. */
  ofNode(name: string): Record<string, string>
  /** Environment of any other program. @throws Error if it has a clock and libfaketime is not installed */
  ofServer(name: string): Record<string, string>
  stop(): void
}

/** Finds the library of the package `faketime`, which moves a program's clock; null if not installed. */
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

/** @param aheadSeconds name of a clock → how far it is ahead at first */
export function createClocks(aheadSeconds: Readonly<Record<string, number>>): Clocks {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-clocks-'))
  // PostgreSQL runs as another user.
  chmodSync(directory, 0o755)
  const ahead = new Map<string, number>()
  const move = (name: string, aheadSeconds: number) => {
    ahead.set(name, aheadSeconds)
    const file = join(directory, name)
    writeFileSync(`${file}.new`, `${aheadSeconds < 0 ? '-' : '+'}${Math.abs(aheadSeconds)}`)
    // Also under the system's umask: a clock whose file PostgreSQL cannot read goes back to the true time.
    chmodSync(`${file}.new`, 0o644)
    // Atomic, so that no reader finds the file empty.
    renameSync(`${file}.new`, file)
  }
  for (const [name, seconds] of Object.entries(aheadSeconds)) move(name, seconds)
  const hasClock = (name: string) => Object.hasOwn(aheadSeconds, name)
  return {
    move,
    aheadOf: (name) => ahead.get(name) ?? 0,
    ofNode(name): Record<string, string> {
      if (!hasClock(name)) return {}
      return { NODE_OPTIONS: `--import=${nodeClockModule}`, CLOCK_FILE: join(directory, name) }
    },
    ofServer(name): Record<string, string> {
      if (!hasClock(name)) return {}
      const library = findFaketime()
      if (library === null) throw new Error('libfaketime is not installed')
      return {
        // Loads the C library before jemalloc, which asks for the time before libfaketime is ready.
        LD_PRELOAD: `${library} libc.so.6`,
        FAKETIME_TIMESTAMP_FILE: join(directory, name),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1'
      }
    },
    stop: () => rmSync(directory, { recursive: true })
  }
}
