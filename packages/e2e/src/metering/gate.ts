/** Delays answers while it is closed. */
export class Gate {
  #opening = Promise.withResolvers<void>()

  /** Creates an open gate. */
  constructor() {
    this.open()
  }

  /** Resolves when it is open. */
  readonly pass = (): Promise<void> => this.#opening.promise

  close(): void {
    this.#opening = Promise.withResolvers()
  }

  open(): void {
    this.#opening.resolve()
  }
}
