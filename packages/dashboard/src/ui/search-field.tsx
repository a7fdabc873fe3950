import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { controlLook } from './class-names.ts'

interface SearchFieldProps {
  /** The accessible name, such as `Search keys`. */
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A field that finds something in a list. */
export function SearchField({ label, placeholder, text, onChange }: SearchFieldProps) {
  return (
    <div className="relative min-w-0 flex-1 basis-full sm:basis-72">
      <Search aria-hidden="true" className="pointer-events-none absolute top-3 left-3 size-4 text-ink-soft" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={200}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        className={`${controlLook} h-10 pl-9 text-sm`}
      />
    </div>
  )
}

/** A search field that waits until nobody types, so that not every letter asks the API. */
export function LateSearchField({ text, onChange, ...field }: SearchFieldProps) {
  const [typed, setTyped] = useLateText(text, onChange)
  return <SearchField {...field} text={typed} onChange={setTyped} />
}

const typingMs = 300

/**
 * A text that is kept elsewhere, such as in the address, and changes there once nobody types.
 *
 * @returns what is in the field, and what to call when it changes
 */
export function useLateText(text: string, onChange: (text: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(text)
  const latestText = useRef(text)
  const change = useRef(onChange)
  change.current = onChange
  useEffect(() => {
    // The address changed by itself, such as by going back.
    if (text === latestText.current) return
    latestText.current = text
    setTyped(text)
  }, [text])
  useEffect(() => {
    if (typed === latestText.current) return
    const timer = setTimeout(() => {
      latestText.current = typed
      change.current(typed)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
