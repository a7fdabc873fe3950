import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

interface Process {
  readonly pid: number
  readonly parent: number
  /** As `ps` writes it; Z is one that has ended and waits for its parent to take note. */
  readonly state: string
  readonly command: string
}

/** Every process below `root`, itself included. */
export function processTree(root: number): Process[] {
  const all = listProcesses()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** Ends those of the processes that still run, at once. */
export function killAll(processes: readonly Process[]): void {
  for (const { pid } of stillRunning(processes)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Resolves when none of the processes runs any more. @throws Error naming those that still do after the limit */
export async function untilGone(processes: readonly Process[], limitMs = 15_000): Promise<void> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const left = stillRunning(processes)
    if (left.length === 0) return
    if (performance.now() > deadline) {
      throw new Error(`still running: ${left.map(({ pid, command }) => `${pid} ${command}`).join(', ')}`)
    }
    await delay(50)
  }
}

function stillRunning(processes: readonly Process[]): Process[] {
  const running = new Map(
    listProcesses()
      .filter(({ state }) => !state.startsWith('Z'))
      .map(({ pid, command }) => [pid, command])
  )
  // Compared with its command, because another process may have been given the number.
  return processes.filter(({ pid, command }) => running.get(pid) === command)
}

function listProcesses(): Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || parent === undefined || state === undefined || command === undefined) return []
    return [{ pid: Number(pid), parent: Number(parent), state, command }]
  })
}
