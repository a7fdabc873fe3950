import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'

interface SegmentsProps<Value extends string> {
  readonly legend: string
  readonly options: ReadonlyArray<readonly [value: Value, text: string]>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A segmented control: a choice between a few visible options. One of them is always chosen. */
export function Segments<Value extends string>({ legend, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <ToggleGroup
      aria-label={legend}
      value={[value]}
      onValueChange={([chosen]) => {
        if (chosen !== undefined) onChange(chosen)
      }}
      className="inline-flex max-w-full flex-wrap rounded-lg bg-sunken p-0.5"
    >
      {options.map(([option, text]) => (
        <Toggle
          key={option}
          value={option}
          className="flex min-h-8 items-center rounded-md px-3 text-[0.8125rem] font-medium text-ink-soft hover:text-ink data-pressed:bg-raised data-pressed:text-ink data-pressed:shadow-card"
        >
          {text}
        </Toggle>
      ))}
    </ToggleGroup>
  )
}
