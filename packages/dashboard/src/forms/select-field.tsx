import { type Option, SelectBox } from '../ui/select-box.tsx'
import { Field, type FieldProps } from './fields.tsx'

interface SelectFieldProps extends FieldProps {
  readonly options: readonly Option[]
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
      <SelectBox options={options} {...(value === undefined ? { defaultValue } : { value })} onChange={onValueChange} />
    </Field>
  )
}
