import type { Command, Option } from 'commander';

/** One command path with what may follow it. */
interface Entry {
  /** `acmedns register`; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly Option[];
  /** Words that the first argument is one of. */
  readonly choices: readonly string[];
  readonly takesFiles: boolean;
}

/** A script that completes commands, options, their choices, and files, made from the program itself. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const entries = entriesOf(program, '');
  switch (shell) {
    case 'bash':
      return bash(entries);
    case 'zsh':
      return `#compdef zoneproof\nautoload -U +X bashcompinit && bashcompinit\n${bash(entries)}`;
    case 'fish':
      return fish(entries);
  }
}

function entriesOf(command: Command, path: string): readonly Entry[] {
  const entry: Entry = {
    path,
    commands: command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
    options: command.createHelp().visibleOptions(command),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    takesFiles: command.registeredArguments.some((argument) => argument.name() === 'path'),
  };
  return [entry, ...command.commands.flatMap((sub) => entriesOf(sub, `${path} ${sub.name()}`.trim()))];
}

function bash(entries: readonly Entry[]): string {
  const words = entries.map(({ path, commands, options, choices, takesFiles }) => {
    const list = [...commands.map(({ name }) => name), ...options.flatMap(namesOf), ...choices].join(' ');
    return `    "${path}") words="${list}"; files=${takesFiles ? 1 : 0} ;;`;
  });
  const paths = entries.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  const values = entries.flatMap(({ path, options }) =>
    options
      .filter((option) => option.required || option.optional)
      .map((option) => {
        const names = namesOf(option).map((name) => `"${path}:${name}"`);
        const offered = option.argChoices === undefined ? '-f' : `-W "${option.argChoices.join(' ')}"`;
        return `    ${names.join('|')}) COMPREPLY=($(compgen ${offered} -- "$current")); return ;;`;
      }),
  );
  return `_zoneproof() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words="" files=0
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path:$previous" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ "$files" = 1 ] && [ "\${current#-}" = "$current" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _zoneproof zoneproof
`;
}

function fish(entries: readonly Entry[]): string {
  const lines = ['complete -c zoneproof -f'];
  for (const { path, commands, options, choices, takesFiles } of entries) {
    const words = path.split(' ').filter(Boolean);
    const others = commands.map(({ name }) => name).join(' ');
    const condition = [
      ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(words.length === 0
        ? ['__fish_use_subcommand']
        : others === ''
          ? []
          : [`not __fish_seen_subcommand_from ${others}`]),
    ].join('; and ');
    const rule = `complete -c zoneproof -n ${quoted(condition)}`;
    for (const { name, description } of commands) lines.push(`${rule} -a ${name} -d ${quoted(description)}`);
    for (const choice of choices) lines.push(`${rule} -a ${choice}`);
    if (takesFiles) lines.push(`${rule} -F`);
    for (const option of options) {
      const short = option.short === undefined ? '' : ` -s ${option.short.slice(1)}`;
      const long = option.long === undefined ? '' : ` -l ${option.long.slice(2)}`;
      const value =
        option.argChoices !== undefined
          ? ` -x -a ${quoted(option.argChoices.join(' '))}`
          : option.required
            ? ' -r -F'
            : '';
      lines.push(`${rule}${short}${long}${value} -d ${quoted(option.description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function namesOf(option: Option): readonly string[] {
  return [option.short, option.long].filter((name) => name !== undefined);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
