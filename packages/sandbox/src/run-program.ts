import { PortTakenError } from './free-port.ts'

/** An embedded server that runs as a program. */
export interface ServerProgram {
  /** One line to print when it is ready. */
  readonly readyLine: string
  /** Resolves when the server has ended by itself. A server in this process never does. */
  readonly ended?: Promise<unknown>
  stop(): Promise<void>
}

/**
 * Runs a server as a program. Prints a line when it is ready, and stops it on SIGTERM and SIGINT with status 0. A
 * server that cannot start, or ends by itself, is reported in one line on stderr with status 1.
 *
 * @param portVariable the environment variable that sets the port, named if the port is taken
 */
export async function runProgram(portVariable: string, start: () => Promise<ServerProgram>): Promise<void> {
  // It has no files to read again.
  process.on('SIGHUP', () => undefined)
  try {
    const server = await start()
    let isStopping = false
    const stop = () => {
      if (isStopping) return
      isStopping = true
      server.stop().catch(fail)
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    void server.ended?.then(() => {
      if (!isStopping) fail(new Error('The server has ended by itself.'))
    })
    console.log(server.readyLine)
  } catch (error) {
    fail(error instanceof PortTakenError ? new PortTakenError(error.port, portVariable) : error)
  }
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

/**
 * Refuses to run in production. Embedded servers are for development and tests: their credentials are published and
 * their answers are fake. Every program that starts one calls this first.
 *
 * @throws Error that names NODE_ENV, if it is `production`
 */
export function refuseProduction(env: Record<string, string | undefined>): void {
  if (env.NODE_ENV === 'production') {
    throw new Error('NODE_ENV is "production": the sandbox servers are for development and tests only.')
  }
}
