import { useId } from 'react'

interface SegmentsProps<Value extends string> {
  readonly legend: string
  readonly options: ReadonlyArray<readonly [value: Value, text: string]>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A segmented control: a choice between a few visible options. */
export function Segments<Value extends string>({ legend, options, value, onChange }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <fieldset className="inline-flex max-w-full flex-wrap rounded-lg bg-sunken p-0.5">
      <legend className="sr-only">{legend}</legend>
      {options.map(([option, text]) => (
        <label
          key={option}
          className="flex min-h-8 cursor-pointer items-center rounded-md px-3 text-[0.8125rem] font-medium text-ink-soft hover:text-ink has-checked:bg-raised has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={option}
            checked={value === option}
            className="sr-only"
            onChange={() => onChange(option)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
