/** The system cannot start. The message tells the person at the terminal what to change. */
export class SystemError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SystemError'
  }
}
