import { useEffect, useState } from 'react'
import { now } from '../api/clock.ts'

const hourMs = 3_600_000
/** Checks often, because a one-hour timer would be late after the computer slept. */
const checkEveryMs = 10_000
const currentHour = () => Math.floor(now().getTime() / hourMs) * hourMs

/** The start of the current hour. Updates when the next hour begins. */
export function useCurrentHour(): Date {
  const [hour, setHour] = useState(currentHour)
  useEffect(() => {
    const timer = setInterval(() => setHour(currentHour()), checkEveryMs)
    return () => clearInterval(timer)
  }, [])
  return new Date(hour)
}
