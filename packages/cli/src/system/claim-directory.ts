import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listProcesses } from '@tollgate/sandbox/child/list-processes.ts'
import { SystemError } from './system-error.ts'

/** Directories of this process. In a container each start may have the same process id, so the file alone is not enough. */
const claimed = new Set<string>()

/**
 * Claims a data directory for the system of this process, with a file `running` inside it. The claim of a dead process is
 * replaced.
 *
 * @param address the address of the dashboard, for the message of a second start
 * @returns a function that gives the directory up
 * @throws SystemError if a running system uses the directory
 */
export function claimDirectory(directory: string, address: string): () => void {
  const path = join(directory, 'running')
  const other = readClaim(path)
  if (claimed.has(path) || (other !== null && other.pid !== process.pid && isRunning(other))) {
    const { pid, address: place } = other ?? { pid: process.pid, address }
    throw new SystemError(
      `Tollgate already runs with the data in ${directory}: ${place} (process ${pid}).\n` +
        `Use it, or stop it: press Ctrl-C in its terminal, or type "kill ${pid}". ` +
        'For a second system, set TOLLGATE_DATA_DIR to another directory and the ports to other ones (.env.example).'
    )
  }
  writeFileSync(path, JSON.stringify({ pid: process.pid, command: commandOf(process.pid), address }), { mode: 0o600 })
  claimed.add(path)
  return () => {
    if (!claimed.delete(path)) return
    rmSync(path, { force: true })
  }
}

interface Claim {
  readonly pid: number
  /** A later process may have the same id, but hardly the same command. */
  readonly command: string
  readonly address: string
}

/** @returns null without a valid claim */
function readClaim(path: string): Claim | null {
  try {
    const { pid, command, address } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Claim>
    return Number.isSafeInteger(pid) && pid! > 0
      ? { pid: pid!, command: String(command), address: String(address) }
      : null
  } catch {
    // The file does not exist, or a crash has cut it off.
    return null
  }
}

const isRunning = ({ pid, command }: Claim): boolean => commandOf(pid) === command

/** @returns null if no such process runs */
function commandOf(pid: number): string | null {
  return listProcesses().find((one) => one.pid === pid)?.command ?? null
}
