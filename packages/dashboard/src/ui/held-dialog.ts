import { createContext, useContext, useEffect } from 'react'

export const HoldContext = createContext<(isHeld: boolean) => void>(() => {})

/**
 * Keeps the dialog around the component open as long as something in it runs: closing it would not stop that, and what
 * comes of it, such as the value of a key, would be seen by nobody.
 */
export function useHeldDialog(isHeld: boolean): void {
  const hold = useContext(HoldContext)
  useEffect(() => {
    hold(isHeld)
    return () => hold(false)
  }, [hold, isHeld])
}
