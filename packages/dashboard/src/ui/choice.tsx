import { type Option, type OptionGroup, SelectBox } from './select-box.tsx'

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<Option | OptionGroup>
  readonly onChange: (value: string) => void
}

/** A list of values to filter by. It shows a value that the options lack too, because an address may have any. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const known = options.flatMap((one) => ('options' in one ? one.options : [one]))
  return (
    <SelectBox
      control={{ 'aria-label': label }}
      value={value}
      options={known.some(([option]) => option === value) ? options : [...options, [value, value]]}
      onChange={onChange}
      className="min-w-0 flex-1 basis-40 text-sm sm:max-w-64"
    />
  )
}
