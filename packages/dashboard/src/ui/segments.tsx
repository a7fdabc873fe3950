import { useId } from 'react'

type SegmentsProps<Value extends string> = {
  readonly legend: string
  readonly options: ReadonlyArray<readonly [value: Value, text: string]>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice between a few things, all of which are seen. */
export function Segments<Value extends string>({ legend, options, value, onChange }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <fieldset className="inline-flex max-w-full flex-wrap rounded-lg bg-sunken p-0.5">
      <legend className="sr-only">{legend}</legend>
      {options.map(([one, text]) => (
        <label
          key={one}
          className="flex min-h-8 cursor-pointer items-center rounded-md px-3 text-[0.8125rem] font-medium text-ink-soft hover:text-ink has-checked:bg-raised has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={one}
            checked={value === one}
            className="sr-only"
            onChange={() => onChange(one)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
