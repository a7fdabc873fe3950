import { useEffect, useRef, useState } from 'react'

const typingMs = 300

/**
 * A text that is kept elsewhere, such as in the address, and changes there once nobody types.
 *
 * @returns what is in the field, and what to call when it changes
 */
export function useLateText(text: string, onChange: (text: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(text)
  const kept = useRef(text)
  const change = useRef(onChange)
  change.current = onChange
  useEffect(() => {
    // The address changed by itself, such as by going back.
    if (text === kept.current) return
    kept.current = text
    setTyped(text)
  }, [text])
  useEffect(() => {
    if (typed === kept.current) return
    const timer = setTimeout(() => {
      kept.current = typed
      change.current(typed)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
