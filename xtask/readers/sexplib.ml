(* What the lexer of sexplib reads. *)
let token tag s = Printf.printf "%c%d:%s\n" tag (String.length s) s

let rec show = function
  | Sexplib.Sexp.Atom s -> token 'A' s
  | Sexplib.Sexp.List l -> print_string "("; List.iter show l; print_string ")"

let file name =
  token 'F' name;
  let channel = open_in_bin name in
  let lexbuf = Lexing.from_channel channel in
  let rec forms () = match Sexplib.Sexp.scan_sexp_opt lexbuf with
    | Some form -> show form; forms ()
    | None -> print_string ".\n"
  in
  (try forms () with error -> token '!' (Printexc.to_string error));
  close_in channel

let () = set_binary_mode_out stdout true; for i = 1 to Array.length Sys.argv - 1 do file Sys.argv.(i) done
