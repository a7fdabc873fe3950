# Reads what packages/cli/src/testing/record-cpu.mjs has written. Prints the CPU seconds of the dearest test files, and of all processes by
# layer. With `loop`, the output of reference-loop.mjs, and `usual`, its seconds on a machine of the usual speed, the status is 1 if the
# sum exceeds `max` seconds of such a machine.

# A process has loaded our code and shared servers besides its files.
$3 == "process" {
  layer = $4
  sub(/.*\/testing\/groups\//, "", layer) || sub(/.*\/(packages|services)\//, "", layer)
  sub(/[\/.].*/, "", layer)
  layers[layer] += $1 + $2
  all += $1 + $2
  next
}
{ files[$3] += $1 + $2 }

END {
  for (file in files) printf "%8.1f  %s\n", files[file], file | "sort -rn | head -40"
  close("sort -rn | head -40")
  for (layer in layers) printf "%8.1f  all of %s\n", layers[layer], layer | "sort -rn"
  close("sort -rn")
  printf "%8.1f  in all\n", all
  if (loop == "") exit 0
  while ((getline seconds < loop) > 0) values[++count] = seconds
  # The median, since a single round may have been disturbed.
  for (i = 1; i <= count; i++) for (j = i + 1; j <= count; j++) if (values[j] < values[i]) { value = values[i]; values[i] = values[j]; values[j] = value }
  factor = count == 0 ? 1 : values[int((count + 1) / 2)] / usual
  printf "%8.1f  in all, on a machine of the usual speed (this one needs %.2f times as long)\n", all / factor, factor
  exit all / factor > max
}
