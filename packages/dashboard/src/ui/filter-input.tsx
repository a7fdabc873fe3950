import { controlLook } from './control-look.ts'

interface FilterInputProps {
  readonly label: string
  readonly type: 'text' | 'date'
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A value to filter by. It applies when the reader leaves the field or presses Enter. */
export function FilterInput({ label, type, value, onChange }: FilterInputProps) {
  const apply = (text: string) => {
    if (text.trim() !== value) onChange(text.trim())
  }
  const input = (
    <input
      // A change of the address shows its value.
      key={value}
      type={type}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value)
      }}
      className={`${controlLook} h-10 min-w-0 flex-1 text-sm ${type === 'date' ? '' : 'basis-40 sm:max-w-64'}`}
    />
  )
  // A date has no place for a placeholder.
  return type === 'text' ? (
    input
  ) : (
    <span className="flex min-w-0 flex-1 basis-64 items-center gap-2 text-sm sm:max-w-80">
      <span aria-hidden="true" className="shrink-0 text-ink-soft">
        {label}
      </span>
      {input}
    </span>
  )
}
