/** Counts the model calls in flight, which a stopping process waits for. */
export class CallsInFlight {
  #count = 0
  #onNone: Array<() => void> = []

  entered(): void {
    this.#count++
  }

  left(): void {
    if (--this.#count > 0) return
    for (const resolve of this.#onNone.splice(0)) resolve()
  }

  /** Resolves when no call is in flight. */
  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#onNone.push(resolve))
  }
}
