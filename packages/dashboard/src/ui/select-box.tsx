import { Select } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { controlLook } from './class-names.ts'

export type Option = readonly [value: string, text: string]
export interface OptionGroup {
  readonly name: string
  readonly options: readonly Option[]
}

interface SelectBoxProps {
  readonly options: ReadonlyArray<Option | OptionGroup>
  readonly value?: string
  /** Without a value: what is chosen at first. */
  readonly defaultValue?: string
  readonly onChange?: ((value: string) => void) | undefined
  readonly isDisabled?: boolean
  /** Attributes of the control, which name and describe it. */
  readonly control?: { readonly id?: string; readonly 'aria-label'?: string; readonly 'aria-describedby'?: string }
  readonly className?: string
}

const isGroup = (one: Option | OptionGroup): one is OptionGroup => 'options' in one

/** A choice of one of several options. A form around it gets the value of the chosen one. */
export function SelectBox({
  options,
  value,
  defaultValue = '',
  onChange,
  isDisabled,
  control,
  ...look
}: SelectBoxProps) {
  const items = options.flatMap((one) => (isGroup(one) ? one.options : [one]))
  return (
    <Select.Root
      items={items.map(([option, text]) => ({ value: option, label: text }))}
      {...(value === undefined ? { defaultValue } : { value })}
      disabled={isDisabled ?? false}
      onValueChange={(chosen) => onChange?.(chosen ?? '')}
    >
      <Select.Trigger
        {...control}
        className={`${controlLook} flex h-10 items-center justify-between gap-2 text-left data-disabled:opacity-60 ${look.className ?? ''}`}
      >
        <Select.Value className="min-w-0 truncate" />
        <Select.Icon>
          <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        {/* Aligned with the trigger, the popup would need an inline style, which the content security policy refuses. */}
        <Select.Positioner alignItemWithTrigger={false} sideOffset={4} className="z-60 outline-none">
          <Select.Popup className="max-h-(--available-height) min-w-(--anchor-width) max-w-[min(32rem,95vw)] overflow-y-auto rounded-xl border border-line bg-surface p-1 shadow-popup outline-none">
            <Select.List>
              {options.map((one) =>
                isGroup(one) ? (
                  <Select.Group key={one.name}>
                    <Select.GroupLabel className="px-2 pt-2 pb-1 text-[0.8125rem] font-medium text-ink-soft">
                      {one.name}
                    </Select.GroupLabel>
                    {one.options.map(showOption)}
                  </Select.Group>
                ) : (
                  showOption(one)
                )
              )}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  )
}

const showOption = ([value, text]: Option) => (
  <Select.Item
    key={value}
    value={value}
    className="grid grid-cols-[1rem_minmax(0,1fr)] items-center gap-2 rounded-lg px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-sunken"
  >
    <Select.ItemIndicator className="col-start-1">
      <Check aria-hidden="true" className="size-4 text-accent" />
    </Select.ItemIndicator>
    <Select.ItemText className="col-start-2 break-words">{text}</Select.ItemText>
  </Select.Item>
)

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<Option | OptionGroup>
  readonly onChange: (value: string) => void
}

/** A list of values to filter by. It shows a value that the options lack too, because an address may have any. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const choices = options.flatMap((one) => ('options' in one ? one.options : [one]))
  return (
    <SelectBox
      control={{ 'aria-label': label }}
      value={value}
      options={choices.some(([option]) => option === value) ? options : [...options, [value, value]]}
      onChange={onChange}
      className="min-w-0 flex-1 basis-40 text-sm sm:max-w-64"
    />
  )
}
