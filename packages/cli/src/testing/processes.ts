import { setTimeout as delay } from 'node:timers/promises'
import { listProcesses, type Process } from '@tollgate/sandbox/child/list-processes.ts'

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
  const running = new Map(listProcesses().map(({ pid, command }) => [pid, command]))
  // Compared with its command, because another process may have been given the number.
  return processes.filter(({ pid, command }) => running.get(pid) === command)
}
