/** The pause of a background loop, which what happens meanwhile can end. */
export class WakeableSleep {
  #wake = (): void => {}

  /** @param ms null to sleep until woken */
  sleep(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends the sleep, if there is one. */
  wake(): void {
    this.#wake()
  }
}
