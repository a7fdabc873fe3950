import { Search } from 'lucide-react'
import { controlLook } from './control-look.ts'
import { useLateText } from './use-late-text.ts'

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
