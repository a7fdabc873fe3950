import { PortTakenError } from './port-taken-error.ts'

/** A server that a program of the sandbox hosts. */
export interface Hosted {
  /** What to say when it is ready, in one line. */
  readonly readyLine: string
  /** Resolves when the server has ended without being asked to. A server in this process never does. */
  readonly ended?: Promise<unknown>
  stop(): Promise<void>
}

/**
 * Runs a server as a program: says when it is ready, and stops it on SIGTERM and SIGINT. The process then ends by
 * itself, with status 0. A server that cannot start or that ends by itself is one line on the standard error and status 1.
 *
 * @param portVariable the environment variable to name when the port is taken
 */
export async function runProgram(portVariable: string, start: () => Promise<Hosted>): Promise<void> {
  try {
    const hosted = await start()
    let isStopping = false
    const stop = () => {
      if (isStopping) return
      isStopping = true
      hosted.stop().catch(fail)
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    void hosted.ended?.then(() => {
      if (!isStopping) fail(new Error('The server has ended by itself.'))
    })
    console.log(hosted.readyLine)
  } catch (error) {
    fail(error instanceof PortTakenError ? new PortTakenError(error.port, portVariable) : error)
  }
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
