/** Holds answers back while it is closed. */
export class Gate {
  #opening = Promise.withResolvers<void>()

  /** A gate is open at first. */
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
