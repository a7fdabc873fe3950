# Reads tap's report. Prints one line per test file: "ok" or "failed", its assertions that passed, failed and were
# skipped, and its name. The failures of each file go into a file of the folder `details`, named like it with ":" for "/".
# A file is a test of the first level, or of the second, below its group.

# The YAML after a failed assertion ends with "..." at the same indentation. Assertions in it do not count.
inside {
  if (failing) text = text $0 "\n"
  # tap reports a time-out under another name, and sometimes the file as well.
  if (is_file && name == "timeout!" && sub(/^  expired: /, "")) name = $0
  if ($0 == end) { inside = 0; if (is_file) finish() }
  next
}
after_point && /^ *---$/ {
  inside = 1
  end = $0; sub(/---/, "...", end)
  if (failing) text = text $0 "\n"
  next
}
after_point && is_file { finish() }
{ after_point = 0 }

/^ *(not )?ok [0-9]+( |$)/ {
  indent = match($0, /[^ ]/) - 1
  after_point = 1
  failing = /^ *not /
  if (failing) text = text $0 "\n"
  # A test with assertions counts by them, unless it failed for another reason.
  children = points[indent + 4]; failed_children = failures[indent + 4]
  points[indent + 4] = failures[indent + 4] = 0
  points[indent]++
  if (failing) failures[indent]++
  if (failing && !failed_children) failed++
  else if (!failing && !children) { if (/ # (SKIP|TODO)/) skipped++; else passed++ }
  name = $0
  sub(/^ *(not )?ok [0-9]+ - /, "", name); sub(/ # (time|SKIP|TODO).*/, "", name)
  is_file = indent == 0 || (indent == 4 && name ~ /^(packages|services)\/[^ ]*\.test\.ts$/)
}
END { if (after_point && is_file) finish() }

function finish(  path) {
  # A group counts by its files.
  if (name ~ /\.test\.ts$/) {
    print failing ? "failed" : "ok", passed + 0, failed + 0, skipped + 0, name
    path = name; gsub(/\//, ":", path)
    if (failing) { printf "%s", text > (details "/" path); close(details "/" path) }
  }
  text = ""; passed = failed = skipped = is_file = after_point = 0
  delete points; delete failures
}
