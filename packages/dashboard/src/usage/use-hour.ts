import { useEffect, useState } from 'react'

const hourMs = 3_600_000
/** A timer of an hour would be late by the time for which a computer slept. */
const lookMs = 10_000
const presentHour = () => Math.floor(Date.now() / hourMs) * hourMs

/** When the present hour began. What depends on it follows when it ends, on a page that stays open. */
export function useHour(): Date {
  const [hour, setHour] = useState(presentHour)
  useEffect(() => {
    const timer = setInterval(() => setHour(presentHour()), lookMs)
    return () => clearInterval(timer)
  }, [])
  return new Date(hour)
}
