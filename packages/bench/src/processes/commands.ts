import type { ChildProcess } from 'node:child_process'

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

let lastId = 0

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
