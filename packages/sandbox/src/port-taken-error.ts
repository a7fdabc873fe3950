/** Thrown when a server cannot listen because another program uses its port. */
export class PortTakenError extends Error {
  readonly port: number

  /** @param variable the environment variable that sets the port, if there is one */
  constructor(port: number, variable?: string) {
    const named = variable === undefined ? `${port}` : `${port} (${variable})`
    const advice = variable === undefined ? '' : ` Stop that program, or set ${variable} to a free port.`
    super(`Port ${named} is in use by another program.${advice}`)
    this.name = 'PortTakenError'
    this.port = port
  }
}

/** Whether `net.Server.listen` failed because another program uses the port. */
export function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
