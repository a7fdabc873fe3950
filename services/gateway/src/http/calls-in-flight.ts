/** Counts the model calls in flight. A stopping process waits for them. */
export class CallsInFlight {
  #count = 0
  #onNone: Array<() => void> = []

  get count(): number {
    return this.#count
  }

  entered(): void {
    this.#count++
  }

  left(): void {
    if (--this.#count > 0) return
    for (const resolve of this.#onNone.splice(0)) resolve()
  }

  /** Resolves when no call is in flight. */
  async whenNone(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#onNone.push(resolve))
  }
}
