import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { endWithParent } from '@tollgate/sandbox/child/end-with-parent.ts'

let lastId = 0

/** How to start a Node program as a child. */
export interface NodeProgram {
  name: string
  file: string
  args?: string[]
  nodeFlags?: readonly string[]
  env?: Record<string, string>
  cwd?: string
  /** The core to run on; null leaves it where this process runs. */
  core: number | null
  /** Whether it serves commands, see `commands.ts`. */
  servesCommands: boolean
}

/** A running child. */
export interface Child {
  name: string
  pid: number
  process: ChildProcess
  /** The last lines of stderr and stdout, to explain why it ended. */
  output(): string
}

const outputLimit = 4000

/** The processes that a run has started. It ends only these, by their ids. */
export class Children {
  readonly #running = new Set<Child>()
  readonly #others: Array<() => Promise<void>> = []

  /** Starts a program with this Node. The program ends with this process at the latest. Throws if it cannot start. */
  startNode({ name, file, args = [], nodeFlags = [], env, cwd, core, servesCommands }: NodeProgram): Child {
    const command = [process.execPath, ...nodeFlags, file, ...args]
    // taskset replaces itself with the program, so the process id is that of the program.
    if (core !== null) command.unshift('taskset', '--cpu-list', String(core))
    const child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', 'pipe', 'pipe', ...(servesCommands ? (['ipc'] as const) : [])],
      // A process group of its own: Ctrl-C reaches only this process, which then ends its children in order.
      detached: true,
      ...(env === undefined ? {} : { env }),
      ...(cwd === undefined ? {} : { cwd })
    })
    if (child.pid === undefined) throw new Error(`${name} could not be started`)
    let output = ''
    for (const pipe of [child.stdout, child.stderr]) {
      pipe?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-outputLimit)
      })
    }
    const started = { name, pid: child.pid, process: child, output: () => output }
    this.#running.add(started)
    const cancelEnd = endWithParent(child.pid, 'TERM', null)
    child.once('exit', () => {
      this.#running.delete(started)
      cancelEnd()
    })
    return started
  }

  /** Ends a child with SIGTERM, and with SIGKILL if it still runs after 5 s. */
  async stop(child: Child): Promise<void> {
    if (child.process.exitCode !== null || child.process.signalCode !== null) return
    const exited = once(child.process, 'exit')
    child.process.kill('SIGTERM')
    const timer = setTimeout(() => child.process.kill('SIGKILL'), 5000)
    await exited
    clearTimeout(timer)
  }

  /** Adds something to stop after all children. `stop` must allow a second call. */
  alsoStop(stop: () => Promise<void>): void {
    this.#others.push(stop)
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.stop(child)))
    await Promise.all(this.#others.map((stop) => stop()))
  }

  /** Kills all running children without waiting, for the `exit` event. */
  killAll(): void {
    for (const child of this.#running) child.process.kill('SIGKILL')
  }
}

/** True until the process has ended. */
export function isRunning(child: Child): boolean {
  return child.process.exitCode === null && child.process.signalCode === null
}

interface Call {
  id: number
  command: { kind: string }
}

type Reply = { id: number; result: unknown } | { id: number; error: string }

/** Answers the commands that the parent process sends with {@link callChild}. */
export function serveCommands<Command extends { kind: string }>(handle: (command: Command) => Promise<unknown>): void {
  process.on('message', (message) => {
    const { id, command } = message as { id: number; command: Command }
    handle(command).then(
      (result) => process.send?.({ id, result } satisfies Reply),
      (error: unknown) =>
        process.send?.({ id, error: error instanceof Error ? error.message : String(error) } satisfies Reply)
    )
  })
}

/**
 * Sends a command to a child that serves commands. Resolves with the result.
 *
 * @throws with the message of the child's error, or if the child ends before it answers
 */
export function callChild<Command extends { kind: string }>(child: ChildProcess, command: Command): Promise<unknown> {
  const id = ++lastId
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onMessage = (message: unknown) => {
    const reply = message as Reply
    if (reply.id !== id) return
    if ('error' in reply) reject(new Error(reply.error))
    else resolve(reply.result)
  }
  const onExit = () => reject(new Error(`the process ended before it answered to "${command.kind}"`))
  child.on('message', onMessage)
  child.once('exit', onExit)
  child.send({ id, command } satisfies Call, (error) => error && reject(error))
  return promise.finally(() => {
    child.off('message', onMessage)
    child.off('exit', onExit)
  })
}
