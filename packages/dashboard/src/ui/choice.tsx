import { controlLook } from './control-look.ts'

export type Option = readonly [value: string, text: string]
export interface OptionGroup {
  readonly name: string
  readonly options: readonly Option[]
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<Option | OptionGroup>
  readonly onChange: (value: string) => void
}

const isGroup = (one: Option | OptionGroup): one is OptionGroup => 'options' in one

/** A list of values to filter by. It shows a value that the options lack too, because an address may have any. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const isKnown = options.flatMap((one) => (isGroup(one) ? one.options : [one])).some(([known]) => known === value)
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      className={`${controlLook} h-10 min-w-0 flex-1 basis-40 text-sm sm:max-w-64`}
    >
      {[...options, ...(isKnown ? [] : [[value, value] as const])].map((one) =>
        isGroup(one) ? (
          <optgroup key={one.name} label={one.name}>
            {one.options.map(showOption)}
          </optgroup>
        ) : (
          showOption(one)
        )
      )}
    </select>
  )
}

const showOption = ([value, text]: Option) => (
  <option key={value} value={value}>
    {text}
  </option>
)
