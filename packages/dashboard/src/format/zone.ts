/** Where times of single events are shown: in the browser's time zone, or in UTC. */
export const zones = ['own', 'utc'] as const
export type Zone = (typeof zones)[number]

const storageKey = 'time-zone'
let chosen: Zone | null = null
const listeners = new Set<() => void>()

/** The chosen zone. Browsers can forbid storage; every visit then starts with the browser's zone. */
export function chosenZone(): Zone {
  chosen ??= storedZone()
  return chosen
}

function storedZone(): Zone {
  try {
    return localStorage.getItem(storageKey) === 'utc' ? 'utc' : 'own'
  } catch {
    return 'own'
  }
}

export function chooseZone(zone: Zone): void {
  chosen = zone
  try {
    if (zone === 'own') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, zone)
  } catch {
    // Without storage the zone lasts for this visit only.
  }
  for (const listener of listeners) listener()
}

/** Calls a listener after each choice. @returns a function that ends it */
export function onZone(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The name of the browser's zone, such as `Europe/Berlin`. */
export const ownZoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A function that formats times in the chosen zone. */
export function formatInZone(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  const formats = {
    own: new Intl.DateTimeFormat('en-US', options),
    utc: new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  }
  return (at) => formats[chosenZone()].format(at)
}

/** What to write after a time: ` UTC`, or nothing in the reader's own zone. */
export const zoneMark = (): string => (chosenZone() === 'utc' ? ' UTC' : '')
