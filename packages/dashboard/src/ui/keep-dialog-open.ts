import { createContext, useContext, useEffect } from 'react'

export const KeepOpenContext = createContext<(isBusy: boolean) => void>(() => {})

/**
 * Keeps the surrounding dialog open while an operation runs. Closing it would not stop the operation, and nobody would
 * see its result, such as the value of a new key.
 */
export function useKeepDialogOpen(isBusy: boolean): void {
  const keepOpen = useContext(KeepOpenContext)
  useEffect(() => {
    keepOpen(isBusy)
    return () => keepOpen(false)
  }, [keepOpen, isBusy])
}
