/** The time of day, injected so that tests can let it pass. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()
