import { Select } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { controlLook } from '../ui/control-look.ts'
import { Field, type FieldProps } from './field.tsx'

interface SelectFieldProps extends FieldProps {
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
  /** Default: the first option. */
  readonly defaultValue?: string
  readonly value?: string
  readonly onValueChange?: (value: string) => void
}

/** A choice of one of several options. The form gets the value of the chosen one. */
export function SelectField({ name, label, hint, isOptional, options, value, ...choice }: SelectFieldProps) {
  const { defaultValue = options[0]?.[0] ?? '', onValueChange } = choice
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      <Select.Root
        items={options.map(([option, text]) => ({ value: option, label: text }))}
        {...(value === undefined ? { defaultValue } : { value })}
        onValueChange={(chosen) => onValueChange?.(chosen ?? '')}
      >
        <Select.Trigger className={`${controlLook} flex h-10 items-center justify-between gap-2 text-left`}>
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
                {options.map(([option, text]) => (
                  <Select.Item
                    key={option}
                    value={option}
                    className="grid grid-cols-[1rem_minmax(0,1fr)] items-center gap-2 rounded-lg px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-sunken"
                  >
                    <Select.ItemIndicator className="col-start-1">
                      <Check aria-hidden="true" className="size-4 text-accent" />
                    </Select.ItemIndicator>
                    <Select.ItemText className="col-start-2 break-words">{text}</Select.ItemText>
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </Field>
  )
}
