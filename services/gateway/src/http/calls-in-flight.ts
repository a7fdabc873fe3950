/** How many calls of models are under way: what a stopping process waits for. */
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

  /** Resolves when there are none. */
  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#onNone.push(resolve))
  }
}
