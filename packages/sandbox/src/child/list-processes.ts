import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly parent: number
  /** Program and arguments, separated by spaces. */
  readonly command: string
}

/**
 * Lists the running processes of this machine, without zombies.
 *
 * It reads `/proc` if that exists, because Linux may lack `ps`. macOS has only `ps`.
 */
export function listProcesses(): Process[] {
  if (!existsSync('/proc/self/stat')) return askPs()
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(readProcess).filter((entry) => entry !== null)
}

/** @returns null if the process has ended */
function readProcess(pid: string): Process | null {
  try {
    // <pid> (<name>) <state> <parent> …, where the name may have spaces and parentheses.
    const [, state, parent] = /^\d+ \(.*\) (\S) (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    if (state === undefined || parent === undefined || state === 'Z') return null
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
    return { pid: Number(pid), parent: Number(parent), command }
  } catch {
    return null
  }
}

function askPs(): Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (state === undefined || command === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), command }]
  })
}
