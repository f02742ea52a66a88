/** What stands below the verbs in `ebb --help`, and in docs/cli.md. */
export const helpTopics = `
Where it works: --table, EBB_TABLE or the current context of ~/.config/ebb/config.yaml (EBB_CONFIG);
without any, the table that \`ebb start\` keeps in --directory (.ebb).

Exit codes: 0 done; 1 failed, or only some of it done; 2 the command line cannot be used; 130 interrupted.
\`ebb diff\` as kubectl's: 0 no differences, 1 differences, more than 1 failed.
Results are on stdout, everything else on stderr. ebb sends nothing about you or your use of it to anybody.
`;
