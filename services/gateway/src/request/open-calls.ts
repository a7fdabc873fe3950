/** Counts the admitted requests of this process that have not ended. */
export class OpenCalls {
  count = 0
  /** Those that asked for a stream. */
  streams = 0

  began(isStream: boolean): void {
    this.count++
    if (isStream) this.streams++
  }

  ended(isStream: boolean): void {
    this.count--
    if (isStream) this.streams--
  }
}
