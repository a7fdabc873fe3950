/** The system cannot be started as asked. The message is for the person who asked, and says what to change. */
export class SystemError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SystemError'
  }
}
