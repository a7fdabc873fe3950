import { useEffect, useId, useRef, useState } from 'react'
import { controlLook } from './control-look.ts'

interface FilterInputProps {
  readonly label: string
  readonly type: 'text' | 'date'
  readonly value: string
  readonly onChange: (value: string) => void
  /** The value of a typed text; null if the text cannot be read. Default: the text itself. */
  readonly read?: (text: string) => string | null
  /** What to type instead of a text that cannot be read. */
  readonly problem?: string
}

/** A value to filter by. It applies when the reader leaves the field or presses Enter. */
export function FilterInput({ label, type, value, onChange, read = (text) => text, problem }: FilterInputProps) {
  const field = useRef<HTMLInputElement>(null)
  const problemId = useId()
  /** The value for which another text was refused. A change of the address clears it. */
  const [refusedAt, setRefusedAt] = useState<string | null>(null)
  const isRefused = refusedAt === value || (value !== '' && read(value) === null)
  useEffect(() => {
    // The address changed by itself, such as by going back.
    if (field.current !== null) field.current.value = value
  }, [value])
  const apply = (input: HTMLInputElement) => {
    const text = input.value.trim()
    const applied = text === '' ? '' : read(text)
    setRefusedAt(applied === null ? value : null)
    if (applied === null) return
    input.value = applied
    if (applied !== value) onChange(applied)
  }
  const input = (
    <input
      ref={field}
      type={type}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      aria-invalid={isRefused}
      aria-describedby={isRefused ? problemId : undefined}
      onBlur={(event) => apply(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget)
      }}
      className={`${controlLook} h-10 min-w-0 text-sm`}
    />
  )
  // A date has no place for a placeholder.
  return type === 'text' ? (
    <div className="min-w-0 flex-1 basis-40 sm:max-w-64">
      {input}
      {isRefused && (
        <p id={problemId} role="alert" className="mt-1.5 text-[0.8125rem] text-danger">
          {problem}
        </p>
      )}
    </div>
  ) : (
    <span className="flex min-w-0 flex-1 basis-64 items-center gap-2 text-sm sm:max-w-80">
      <span aria-hidden="true" className="shrink-0 text-ink-soft">
        {label}
      </span>
      {input}
    </span>
  )
}
